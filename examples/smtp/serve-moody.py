"""aiosmtpd, mended where it deviates, and with changing moods: what RFC 5321 leaves open, it decides by chance.

A conforming server that takes every way through the model: python3 serve-moody.py PORT [SEED]
"""

import asyncio
import random
import sys

import aiosmtpd.smtp
from aiosmtpd.smtp import SMTP

aiosmtpd.smtp.BOGUS_LIMIT = 10**9
chance = random.Random(sys.argv[2] if len(sys.argv) > 2 else None)


def moody():
    return chance.random() < 0.3


class Policy:
    async def handle_DATA(self, server, session, envelope):
        return "550 not wanted" if b"unwanted" in envelope.content else "250 OK"


class Moody(SMTP):
    away = False  # there is no service for this client
    helpless = False  # there is no command HELP

    def connection_made(self, transport):
        super().connection_made(transport)
        until = self._reader.readuntil
        self._reader.readuntil = lambda separator=b"\r\n": until(separator)

    async def push(self, status):
        if status.startswith("220 "):
            self.away = chance.random() < 0.1
            status = "554 no service" if self.away else status
        elif status == "250 HELP" and self.helpless:
            status = "250 XNOTHING"
        elif "NOOP\nNOOP" in status and moody():
            status = "250 OK"
        elif self.away and not status.startswith("221 "):
            status = chance.choice(["503 no service", "250 if you like"])
        await super().push(status.replace("\n", " "))

    async def go_down(self):
        await self.push("421 server.example going down")
        self.transport.close()

    async def smtp_HELO(self, hostname):
        await (self.push("550 not you") if moody() else super().smtp_HELO(hostname))

    async def smtp_EHLO(self, hostname):
        if moody():
            return await self.push("550 not you")
        if hostname:
            self.helpless = moody()
        await super().smtp_EHLO(hostname)

    async def smtp_MAIL(self, arg):
        if moody() and arg in ("FROM:<sender@example.org>", "FROM:<>"):
            if not self.session.host_name:
                return await self.push("250 who cares")
            if self.envelope.mail_from is None:
                return await self.push("451 not now")
            self._set_rset_state()
        await super().smtp_MAIL(arg)

    async def smtp_RCPT(self, arg):
        if moody() and arg and self.envelope.mail_from is not None:
            if arg == "TO:<Postmaster>":
                return await self.push("450 busy")
            if arg.startswith("TO:<user") and chance.random() < 0.5:
                self.envelope.rcpt_tos.append(arg)
                return await self.push("251 will forward")
            return await self.push("550 no")
        await super().smtp_RCPT(arg)

    async def smtp_DATA(self, arg):
        if moody() and not self.envelope.rcpt_tos and not arg:
            await self.push("354 a message for nobody")
            while await self._reader.readuntil() != b".\r\n":
                pass
            return await self.push("250 OK" if moody() else "554 no recipients")
        if moody() and self.session.host_name and not arg:
            if moody():
                self._set_rset_state()
            return await self.push("554 no")
        await super().smtp_DATA(None if moody() else arg)

    async def smtp_RSET(self, arg):
        if moody() and not self.session.host_name and not arg:
            return await self.push("503 HELO first")
        await super().smtp_RSET(None if moody() else arg)

    async def smtp_NOOP(self, arg):
        if chance.random() < 0.05 and not self.away:
            return await self.go_down()
        if moody() and (arg or not self.session.host_name):
            return await self.push("501 no argument" if arg else "503 HELO first")
        await super().smtp_NOOP(arg)

    async def smtp_VRFY(self, arg):
        await self.push(chance.choice(["250 <u@e.example>", "251 elsewhere", "252 perhaps", "550 no", "502 no VRFY"]))

    async def smtp_HELP(self, arg):
        if self.helpless:
            return await self.push("502 no HELP")
        await self.push(chance.choice(["214 help yourself", "250 help yourself", "504 not now"]))

    async def smtp_QUIT(self, arg):
        await super().smtp_QUIT(None if moody() else arg)


async def main(port):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Moody(Policy(), hostname="server.example"), "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main(int(sys.argv[1])))
