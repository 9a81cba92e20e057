import { mayReloadAgain } from './may-reload-again.ts';

const reloadedAtKey = 'reloaded-for-script';

/**
 * A script that is read when it is first needed. In a tab that is older than the last update of the site it is gone:
 * then the whole page is loaded anew, once, which gets the new one.
 *
 * @throws whatever `load` throws, when loading the page anew does not help
 */
export async function loadScript<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    // Without a network there would be no page any more, and not even a word about it.
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
    // No storage, as in some private windows: nothing would stop it from reloading again and again.
    return false;
  }
}
