import { mayReloadAgain } from './may-reload-again.ts';

const reloadedAtKey = 'reloaded-for-script';

/**
 * Loads a script when it is first needed. In a tab that is older than the last update of the site the script
 * is gone. Then the whole page is loaded again, once, which gets the new script.
 * @throws whatever `load` throws, if loading the page again does not help
 */
export async function loadScript<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    // Without a network, a reload would leave no page at all, not even a message.
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
    // Without storage, as in some private windows, nothing would stop it from reloading again and again.
    return false;
  }
}
