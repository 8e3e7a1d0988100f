//! Who owns the server at the other end of a connection: it was started here, or it is a stranger's.
//!
//! Linux tells which socket listens at an address, and which processes hold that socket. Other systems do not tell.
//! There, the check before the start has to be enough: nobody listened at the address then.

use std::net::SocketAddr;

/// Who holds what listens at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Owner {
    /// What was started here, or something that it started.
    Ours,
    /// A process that was not started here, in words.
    Stranger(String),
    /// It cannot be found out: it is a process of another user or machine, nobody is there any more, or the system does not
    /// tell.
    Unknown,
}

/// Who holds the server's side of a connection to `peer` from `local`, if `leader` leads the group that was started.
#[cfg(target_os = "linux")]
pub(crate) fn owner(peer: SocketAddr, local: SocketAddr, leader: u32) -> Owner {
    linux::owner(peer, local, leader)
}

/// Nothing tells.
#[cfg(not(target_os = "linux"))]
pub(crate) fn owner(_: SocketAddr, _: SocketAddr, _: u32) -> Owner {
    Owner::Unknown
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use std::fs;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    /// A socket that listens, in the tables of the system.
    const LISTENS: &str = "0A";

    /// A row of such a table.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Row {
        local: SocketAddr,
        remote: SocketAddr,
        listens: bool,
        /// What processes hold; nothing as long as nobody has accepted the connection.
        inode: u64,
    }

    /// `0100007F:1F90` is `127.0.0.1:8080`: words of four bytes, in the order of the machine.
    fn address(text: &str) -> Option<SocketAddr> {
        let (ip, port) = text.split_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        let words = (0..ip.len() / 8).map(|i| u32::from_str_radix(ip.get(8 * i..8 * i + 8)?, 16).ok());
        let bytes: Vec<u8> = words.collect::<Option<Vec<u32>>>()?.into_iter().flat_map(u32::to_ne_bytes).collect();
        let ip = match <[u8; 4]>::try_from(&bytes[..]) {
            Ok(bytes) => IpAddr::V4(Ipv4Addr::from(bytes)),
            Err(_) => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(&bytes[..]).ok()?)),
        };
        Some(SocketAddr::new(ip.to_canonical(), port))
    }

    fn row(line: &str) -> Option<Row> {
        let mut words = line.split_whitespace().skip(1);
        let (local, remote) = (address(words.next()?)?, address(words.next()?)?);
        let listens = words.next()? == LISTENS;
        Some(Row { local, remote, listens, inode: words.nth(5)?.parse().ok()? })
    }

    fn rows() -> Vec<Row> {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
        tables.iter().flat_map(|text| text.lines().skip(1).filter_map(row)).collect()
    }

    pub(super) fn owner(peer: SocketAddr, local: SocketAddr, leader: u32) -> Owner {
        let plain = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        let (peer, local) = (plain(peer), plain(local));
        let rows = rows();
        if rows.is_empty() {
            return Owner::Unknown;
        }
        let at = |wanted: &dyn Fn(&Row) -> bool| -> Vec<u64> {
            rows.iter().filter(|row| row.inode != 0 && wanted(row)).map(|row| row.inode).collect()
        };
        // Who has accepted the connection counts, and then who listens there: at the very address before any address.
        let accepted = at(&|row| row.local == peer && row.remote == local);
        let exact = at(&|row| row.listens && row.local == peer);
        let is_any = |row: &Row| row.listens && row.local.port() == peer.port() && row.local.ip().is_unspecified();
        let of_family = at(&|row| is_any(row) && row.local.is_ipv4() == peer.is_ipv4());
        let Some(inodes) = [accepted, exact, of_family, at(&is_any)].into_iter().find(|inodes| !inodes.is_empty())
        else {
            return Owner::Unknown;
        };
        let mut holders = Vec::new();
        for inode in inodes {
            let of_inode = holders_of(inode);
            // Several sockets may listen at one address: which of them gets a connection, nobody knows.
            if of_inode.is_empty() {
                return Owner::Unknown;
            }
            if !of_inode.iter().any(|process| is_ours(*process, leader)) {
                holders.extend(of_inode);
            }
        }
        match holders.first() {
            None => Owner::Ours,
            Some(process) => {
                let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
                Owner::Stranger(format!("process {process}, `{}`", name.trim()))
            }
        }
    }

    /// The processes that hold a socket, as far as they can be looked at.
    fn holders_of(inode: u64) -> Vec<u32> {
        let wanted = format!("socket:[{inode}]");
        let holds = |process: &u32| {
            let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
            open.map(|entry| fs::read_link(entry.path()))
                .any(|link| link.is_ok_and(|link| link.as_os_str() == &*wanted))
        };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(holds).collect()
    }

    /// Whether a process is in the group of a leader, or descends from it.
    fn is_ours(process: u32, leader: u32) -> bool {
        let mut at = process;
        // A chain of ancestors has an end; one that changes meanwhile need not.
        for _ in 0..1000 {
            if at == leader {
                return true;
            }
            let Some((parent, group)) = parent_and_group(at) else { return false };
            if group == leader {
                return true;
            }
            at = parent;
        }
        false
    }

    /// The parent of a process, and the leader of its group.
    fn parent_and_group(process: u32) -> Option<(u32, u32)> {
        let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name, in brackets, may have anything in it.
        let (_, rest) = text.rsplit_once(')')?;
        let mut words = rest.split_whitespace().skip(1);
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::net::{TcpListener, TcpStream};

        #[test]
        fn rows_are_read() {
            let line =
                "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 x";
            let listens = Row {
                local: "127.0.0.1:8080".parse().unwrap(),
                remote: "0.0.0.0:0".parse().unwrap(),
                listens: true,
                inode: 4711,
            };
            assert_eq!(row(line).filter(|_| cfg!(target_endian = "little")), Some(listens));
            assert_eq!(row("  sl  local_address rem_address   st"), None);
        }

        #[test]
        fn who_listens_is_known() {
            let own = std::process::id();
            for ip in ["127.0.0.1", "::1", "0.0.0.0"] {
                let Ok(listener) = TcpListener::bind((ip, 0)) else { continue };
                let port = listener.local_addr().unwrap().port();
                let to = if ip == "::1" { "::1" } else { "127.0.0.1" };
                let stream = TcpStream::connect((to, port)).unwrap();
                let ends = (stream.peer_addr().unwrap(), stream.local_addr().unwrap());
                assert_eq!(owner(ends.0, ends.1, own), Owner::Ours, "{ip}");
                // Nobody descends from a process that is not there.
                let stranger = owner(ends.0, ends.1, u32::MAX);
                assert!(matches!(&stranger, Owner::Stranger(who) if who.contains(&own.to_string())), "{stranger:?}");
                let (_accepted, _) = listener.accept().unwrap();
                drop(listener);
                assert_eq!(owner(ends.0, ends.1, own), Owner::Ours, "{ip}");
            }
            let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            assert_eq!(owner(nobody, nobody, own), Owner::Unknown);
        }
    }
}
