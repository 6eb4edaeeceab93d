"""A session with `poolmark mcp` by the client of the package mcp: reads `[[tool, arguments], ...]` from stdin, prints the answers
as JSON: the names of the tools, and of each call whether it is an error and what it says. Runs on the Python of the programs."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


async def session(calls: list[tuple[str, dict[str, object]]]) -> dict[str, object]:
    server = StdioServerParameters(command=sys.executable, args=["-m", "poolmark", "mcp"], env=dict(os.environ))
    async with Client(stdio_client(server)) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers = []
        for tool, arguments in calls:
            said = await client.call_tool(tool, arguments)
            answers.append([said.is_error, said.content[0].text if said.is_error else said.structured_content])
        return {"tools": tools, "instructions": client.instructions, "answers": answers}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(session(json.load(sys.stdin)))))
