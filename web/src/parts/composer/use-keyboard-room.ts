import { useEffect } from "preact/hooks";

/**
 * Gives the page the height that the on-screen keyboard leaves over. iOS lays the keyboard over the page without
 * telling the layout; only the visual viewport knows.
 */
export function useKeyboardRoom(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (viewport === null) return;
    const fit = (): void => {
      // A pinch-zoom shrinks the visual viewport as well, and must not squeeze the page.
      if (viewport.scale > 1.01) return;
      document.documentElement.style.setProperty("--app-height", `${viewport.height}px`);
      if (viewport.offsetTop > 0) window.scrollTo(0, 0);
    };
    fit();
    viewport.addEventListener("resize", fit);
    viewport.addEventListener("scroll", fit);
    return () => {
      viewport.removeEventListener("resize", fit);
      viewport.removeEventListener("scroll", fit);
    };
  }, []);
}
