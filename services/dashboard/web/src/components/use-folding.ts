import { useState } from 'react';

/**
 * Returns whether a section is open, and a toggle. The browser stores the choice.
 * @param name the storage key
 * @param isOpenAtFirst applies until the reader chooses
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
    // A browser may refuse to store anything.
    return undefined;
  }
}

function remember(name: string, isOpen: boolean): void {
  try {
    localStorage.setItem(storageKey(name), isOpen ? 'open' : 'folded');
  } catch {
    // As above: the choice then lasts until the page is left.
  }
}
