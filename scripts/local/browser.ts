import { spawn } from "node:child_process";

/** Whether somebody sits in front of a desktop here and wants a page to open. */
export function hasDesktop(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, isTerminal: boolean): boolean {
  if (!isTerminal || env["CI"] || env["SSH_CONNECTION"] || env["BROWSER"] === "none") return false;
  if (platform === "darwin" || platform === "win32") return true;
  return Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
}

/** Opens an address in the person's browser. When that does not work nothing happens: the address was printed. */
export function openBrowser(url: string, platform: NodeJS.Platform): void {
  const [program, ...args] = openerOf(platform);
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open"];
  return platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
}
