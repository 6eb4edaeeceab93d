"""Firefox over WebDriver BiDi: the few commands that the smoke tests need, over the WebSocket that Firefox itself opens."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from webapp.tests.serving import PATIENCE

_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


class CommandFailed(Exception):
    """Firefox refused a command, or a script threw."""


class Firefox:
    """A headless Firefox with a profile of its own and one page. `preferences`: lines of its user.js."""

    def __init__(self, program: str, preferences: dict[str, Any] | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pm-firefox-"))
        lines = {"app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, **(preferences or {})}
        texts = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in lines.items())
        (self.folder / "user.js").write_text("".join(texts))
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [program, "--headless", "--no-remote", "--profile", str(self.folder), "--remote-debugging-port=0"],
                stdout=log,
                stderr=log,
                env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "900"},
                start_new_session=True,
            )
        self._number = 0
        self._open = contextlib.ExitStack()
        connection = connect(f"{self._address()}/session", max_size=None, open_timeout=PATIENCE)
        self._socket: ClientConnection = self._open.enter_context(connection)
        self.send("session.new", capabilities={})
        self.page = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def _address(self) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := _LISTENING.search((self.folder / "log").read_text(errors="replace")):
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise CommandFailed(f"Firefox did not start: {(self.folder / 'log').read_text(errors='replace')[-2000:]}")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of one command. Raises CommandFailed."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == self._number:
                if answer["type"] == "error":
                    raise CommandFailed(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def goto(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        self.send("browsingContext.navigate", context=self.page, url=address, wait="complete")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page: a text, number, truth value or null."""
        made = self.send("script.evaluate", expression=expression, target={"context": self.page}, awaitPromise=True)
        if made["type"] == "exception":
            raise CommandFailed(made["exceptionDetails"]["text"])
        return made["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """The first true value of an expression. Raises CommandFailed after `PATIENCE` seconds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if value := self.run(expression):
                    return value
            except CommandFailed:
                pass  # the page is being replaced
            time.sleep(0.1)
        raise CommandFailed(f"never true: {expression} at {self.run('location.href')}")

    def find(self, selector: str) -> list[dict[str, Any]]:
        """The elements of a CSS selector, as references for other commands. Works without JavaScript."""
        return self.send("browsingContext.locateNodes", context=self.page, locator={"type": "css", "value": selector})["nodes"]

    def choose_file(self, selector: str, path: Path) -> None:
        self.send("input.setFiles", context=self.page, element={"sharedId": self.find(selector)[0]["sharedId"]}, files=[str(path)])

    def press(self, *keys: str) -> None:
        """Press and release each key in turn."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.send("input.performActions", context=self.page, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def move_to(self, x: int, y: int) -> None:
        moves = [{"type": "pointerMove", "x": x - 1, "y": y - 1}, {"type": "pointerMove", "x": x, "y": y}]
        self.send("input.performActions", context=self.page, actions=[{"type": "pointer", "id": "mouse", "actions": moves}])

    def click(self, selector: str) -> None:
        """Click an element that scripts can reach."""
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def screenshot(self) -> str:
        """The visible page as PNG, in base64."""
        return self.send("browsingContext.captureScreenshot", context=self.page)["data"]

    def close(self) -> None:
        self._open.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
