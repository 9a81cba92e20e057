import { useState } from 'react';

/**
 * Whether a section of a page is unfolded. What somebody chose is remembered in this browser, because whoever looks at
 * limits every morning should not have to unfold them every morning.
 * @param name of the section, the same at each visit
 * @param isOpenAtFirst as long as nobody has chosen
 */
export function useFolding(name: string, isOpenAtFirst: boolean): [boolean, () => void] {
  const [chosen, setChosen] = useState(() => remembered(name));
  const isOpen = chosen ?? isOpenAtFirst;
  return [
    isOpen,
    () => {
      setChosen(!isOpen);
      remember(name, !isOpen);
    },
  ];
}

const storageKey = (name: string) => `section-${name}`;

function remembered(name: string): boolean | undefined {
  try {
    const choice = localStorage.getItem(storageKey(name));
    return choice === null ? undefined : choice === 'open';
  } catch {
    // Browsers may be told to let no site store anything.
    return undefined;
  }
}

function remember(name: string, isOpen: boolean): void {
  try {
    localStorage.setItem(storageKey(name), isOpen ? 'open' : 'folded');
  } catch {
    // As above: it stays as it is until the page is left.
  }
}
