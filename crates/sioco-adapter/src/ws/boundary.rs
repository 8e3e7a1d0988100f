//! Where WebSocket messages end in a stream of bytes (RFC 6455, section 5.2). Half a message is not quiescence, and
//! the library does not tell whether it has read a part of one.

/// Follows a stream from its handshake on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Boundary {
    at: At,
    /// Whether a message goes on with the next frame that is no control frame.
    goes_on: bool,
}

/// Where a stream is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum At {
    /// In the handshake, with so many bytes of the empty line that ends it.
    Handshake(usize),
    /// In a header, or between two frames if there is nothing of one.
    Header(Vec<u8>),
    /// So many bytes before the end of a frame.
    Payload(u64),
}

/// What ends a handshake.
const EMPTY_LINE: &[u8; 4] = b"\r\n\r\n";

impl Default for Boundary {
    fn default() -> Self {
        Boundary { at: At::Handshake(0), goes_on: false }
    }
}

impl Boundary {
    /// Goes on with what was read.
    pub(super) fn read(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            match &mut self.at {
                At::Handshake(matched) => {
                    *matched = match byte {
                        _ if byte == EMPTY_LINE[*matched] => *matched + 1,
                        b'\r' => 1,
                        _ => 0,
                    };
                    if *matched == EMPTY_LINE.len() {
                        self.at = At::Header(Vec::new());
                    }
                    bytes = rest;
                }
                At::Header(header) => {
                    header.push(byte);
                    if let Some(length) = payload(header) {
                        let (end, opcode) = (header[0] & 0x80 != 0, header[0] & 0x0f);
                        // Control frames may come in the middle of a message.
                        if opcode < 8 {
                            self.goes_on = !end;
                        }
                        self.at = if length == 0 { At::Header(Vec::new()) } else { At::Payload(length) };
                    }
                    bytes = rest;
                }
                At::Payload(left) => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= n as u64;
                    if *left == 0 {
                        self.at = At::Header(Vec::new());
                    }
                    bytes = &bytes[n..];
                }
            }
        }
    }

    /// Whether a message was begun that is not at its end.
    pub(super) fn is_inside(&self) -> bool {
        match &self.at {
            At::Handshake(_) => false,
            At::Header(header) => self.goes_on || !header.is_empty(),
            At::Payload(_) => true,
        }
    }
}

/// How long the payload of a frame is, once its header is whole.
fn payload(header: &[u8]) -> Option<u64> {
    let second = *header.get(1)?;
    let extended = match second & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    if header.len() < 2 + extended + mask {
        return None;
    }
    Some(match extended {
        0 => u64::from(second & 0x7f),
        _ => header[2..2 + extended].iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame, its length in the shortest form.
    fn frame(first: u8, mask: bool, length: usize) -> Vec<u8> {
        let bit = if mask { 0x80 } else { 0 };
        let mut bytes = vec![first];
        match length {
            ..126 => bytes.push(bit | length as u8),
            126..65536 => {
                bytes.push(bit | 126);
                bytes.extend((length as u16).to_be_bytes());
            }
            _ => {
                bytes.push(bit | 127);
                bytes.extend((length as u64).to_be_bytes());
            }
        }
        bytes.extend(vec![b'x'; length + if mask { 4 } else { 0 }]);
        bytes
    }

    #[test]
    fn messages_end_where_they_end() {
        let (text, ping, start, middle, end) = (0x81, 0x89, 0x01, 0x00, 0x80);
        let mut bytes = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\r\n\r\n".to_vec();
        // Where no message is begun: all through the handshake, and after each of these.
        let mut ends: Vec<usize> = (0..=bytes.len()).collect();
        for mask in [false, true] {
            for length in [0, 1, 125, 126, 300, 65535, 65536] {
                bytes.extend(frame(text, mask, length));
                ends.push(bytes.len());
            }
            // In pieces, with a ping in between.
            for first in [start, middle, ping, middle, end] {
                bytes.extend(frame(first, mask, 3));
            }
            ends.push(bytes.len());
        }
        let mut whole = Boundary::default();
        for (i, byte) in bytes.iter().enumerate() {
            assert_eq!(whole.is_inside(), !ends.contains(&i), "after {i} bytes");
            whole.read(&[*byte]);
        }
        // The same in pieces of any size.
        for size in [2, 3, 7, 1000, 1 << 20] {
            let mut other = Boundary::default();
            bytes.chunks(size).for_each(|piece| other.read(piece));
            assert_eq!(other, whole, "{size}");
            assert!(!other.is_inside());
        }
    }
}
