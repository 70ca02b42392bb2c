import { signal } from "@preact/signals";
import { render } from "preact";
import { must } from "../../src/lib/assert.ts";
import { App } from "./app/app.ts";
import { browserPorts, browserWindow } from "./app/browser-ports.ts";
import { createNotifier } from "./app/notifier.ts";
import { createHighlight } from "./markdown/highlight.ts";
import { Root } from "./parts/shell/root.tsx";
import { SurroundingsContext } from "./parts/use-app.ts";
import { panelOf, readAsked, readRoute, signInNews } from "./state/route.ts";
import "./style/index.css";

const route = readRoute(window.location);
/** A claim that the address asks for; its code is used by the sign-in. */
const claim = signal<{ readonly code: string | undefined } | undefined>(undefined);

/** The code leaves the address bar, and with it the history, before anything else happens. */
function takeCode(): void {
  const { pathname, hash } = window.location;
  const asked = readRoute({ pathname, hash });
  if (asked.page !== "claim") return;
  claim.value = { code: asked.code };
  window.history.replaceState(null, "", "/claim");
}
takeCode();
/** What became of a provider's sign-in, said once. */
const news = signInNews(window.location.hash);
if (news !== undefined) window.history.replaceState(null, "", window.location.pathname);

const ports = browserPorts(window, () => {
  app.notices.problem("The browser's storage is full. What you write now does not survive a reload.");
});
const app = new App(route, ports, browserWindow(window));

/** An invitation's code, too, leaves the address before anything else happens. */
function takeAsked(): void {
  const asked = readAsked(window.location.hash);
  if (asked === undefined) return;
  window.history.replaceState(null, "", window.location.pathname);
  void app.account.take(asked);
}
takeAsked();
// A link pasted into the tab that shows the page changes the fragment only.
window.addEventListener("hashchange", () => {
  takeCode();
  takeAsked();
});

const surroundings = {
  app,
  notifier: createNotifier(window),
  highlight: createHighlight(() => import("./markdown/highlighter.ts")),
};

/** `/chat#audit`: what was decided, over the chat. */
const showPanel = (): void => {
  app.panel.value = panelOf(window.location.hash);
};
showPanel();
window.addEventListener("hashchange", showPanel);
window.addEventListener("popstate", () => {
  const next = readRoute(window.location);
  if (next.page === "chat") app.openChat(next.conversation, "keep");
});
window.addEventListener("online", () => app.wake());
window.addEventListener("focus", () => app.wake());
window.addEventListener("pageshow", (event) => event.persisted && app.wake());

if (route.page === "chat") app.start();
render(
  <SurroundingsContext.Provider value={surroundings}>
    <Root claim={claim} news={news} />
  </SurroundingsContext.Provider>,
  must(document.getElementById("app"), "index.html has an element with the id app"),
);
