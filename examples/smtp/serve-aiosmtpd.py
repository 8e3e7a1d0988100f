"""An SMTP server by aiosmtpd, on the port that is given. Messages are thrown away."""

import asyncio
import sys

from aiosmtpd.smtp import SMTP


class Policy:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        return "550 not wanted" if b"unwanted" in envelope.content else "250 OK"


async def main(port):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Policy(), hostname="server.example"), "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1])))
