"""Chromium without a window, driven by its DevTools protocol over a pipe."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile


def find():
    """The path of Debian's Chromium, or None."""
    return shutil.which("chromium")


class Browser:
    """One page. Notes every error of a script and every request in `problems`. Use it in a with statement."""

    def __init__(self, path):
        self._folder = tempfile.TemporaryDirectory(prefix="jackdaw-chromium-")
        commands, self._commands = os.pipe()
        self._replies, replies = os.pipe()
        # Chromium reads from descriptor 3 and writes to 4: neither may be overwritten before it is copied.
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, replies)]
        os.close(commands)
        os.close(replies)
        words = [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{theirs[0]} 4>&{theirs[1]}; exec "$@"', "bash", *words], pass_fds=theirs,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in theirs:
            os.close(end)
        self._buffer = b""
        self._number = 0
        self._session = None
        self._loaded = False
        self._file = None
        self.problems = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._commands)  # upon which it ends
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._replies)
        self._folder.cleanup()

    def call(self, method, **parameters):
        """Sends a command and returns its result; what happens meanwhile is noted."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next_message()
            if reply.get("id") != number:
                self._note(reply)
            elif "error" in reply:
                raise RuntimeError(f"{method}: {reply['error']['message']}")
            else:
                return reply["result"]

    def open(self, path, width, dark):
        """Shows a file in a window of that width, as people see it who prefer dark or light colours."""
        self._file = f"file://{os.path.abspath(path)}"
        self._loaded = False
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=self._file)
        while not self._loaded:
            self._note(self._next_message())

    def evaluate(self, expression):
        """The value of an expression of JavaScript; a promise's, when it is there."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def picture(self, height):
        """A PNG of the page's upper part."""
        width = self.evaluate("innerWidth")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        reply = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(reply["data"])

    def _next_message(self):
        while b"\0" not in self._buffer:
            piece = os.read(self._replies, 1 << 16)
            if not piece:
                raise RuntimeError("Chromium has ended")
            self._buffer += piece
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, what = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Runtime.exceptionThrown":
            self.problems.append(f"a script failed: {what['exceptionDetails']}")
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
            self.problems.append(f"the console says: {what['args']}")
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"the log says: {what['entry']['text']}")
        elif method == "Network.requestWillBeSent" and not what["request"]["url"].startswith((self._file or "about:", "data:")):
            self.problems.append(f"it asked for {what['request']['url']}")
