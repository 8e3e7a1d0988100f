// An SMTP server by the npm package smtp-server, on the port that is given. Messages are thrown away.
const { SMTPServer } = require('smtp-server');

const server = new SMTPServer({
    name: 'server.example',
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo(address, session, callback) {
        callback(address.address.startsWith('nobody@') ? new Error('no such user') : null);
    },
    onData(stream, session, callback) {
        const chunks = [];
        stream.on('data', chunk => chunks.push(chunk));
        stream.on('end', () => callback(Buffer.concat(chunks).includes('unwanted') ? new Error('not wanted') : null));
    }
});

server.on('error', error => console.error(error.message));
server.listen(Number(process.argv[2]), '127.0.0.1');
