// What runs in the head, before the first paint, as a classic script: esbuild puts both in one file.
import "./theme.js";
import "./address.js";
