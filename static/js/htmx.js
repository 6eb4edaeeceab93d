// htmx without inline styles, which the content security policy forbids.
import htmx from "htmx.org/dist/htmx.esm.js";

htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
htmx.config.historyCacheSize = 0;
htmx.config.refreshOnHistoryMiss = true;
window.htmx = htmx;
