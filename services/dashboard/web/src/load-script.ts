import { mayReloadAgain } from './may-reload-again.ts';

const reloadedAtKey = 'reloaded-for-script';

/**
 * Imports a module. In a tab older than the last site update its file is gone; then reloads the page, once a
 * minute at most.
 * @throws what `load` throws, if a reload did not help
 */
export async function loadScript<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    // Offline, a reload would leave a blank window instead of a message.
    if (isFirstReload() && (await isSiteThere())) {
      window.location.reload();
      return new Promise(() => {});
    }
    throw cause;
  }
}

async function isSiteThere(): Promise<boolean> {
  return fetch('/health', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function isFirstReload(): boolean {
  try {
    const isFirst = mayReloadAgain(window.sessionStorage.getItem(reloadedAtKey), Date.now());
    if (isFirst) {
      window.sessionStorage.setItem(reloadedAtKey, String(Date.now()));
    }
    return isFirst;
  } catch {
    // Without storage, as in some private windows, nothing would stop a reload loop.
    return false;
  }
}
