import { useState } from 'react';
import type { Picture } from './chat-turn.ts';
import { PICTURE_TYPES, pictureProblem } from './picture-problem.ts';

export interface Pictures {
  list: readonly Picture[];
  /** The reason why the last file was not attached. */
  problem: string | undefined;
  add: (files: readonly File[]) => void;
  remove: (picture: Picture) => void;
  clear: () => void;
}

/** Holds the pictures of the next message. */
export function usePictures(): Pictures {
  const [list, setList] = useState<readonly Picture[]>([]);
  const [problem, setProblem] = useState<string>();

  async function add(files: readonly File[]): Promise<void> {
    const found = pictureProblem(list, files);
    setProblem(found);
    if (found !== undefined) return;
    const read = await Promise.all(files.map(readPicture));
    setList((before) => [...before, ...read.filter(({ url }) => before.every((other) => other.url !== url))]);
  }

  return {
    list,
    problem,
    add: (files) =>
      void add(files).catch(() => setProblem('The browser could not read the file. Choose it again.')),
    remove: (picture) => setList(list.filter((other) => other !== picture)),
    clear: () => {
      setList([]);
      setProblem(undefined);
    },
  };
}

/** Reads a file as a data URL. */
function readPicture(file: File): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Returns the pictures among pasted files. */
export function picturesAmong(files: FileList): File[] {
  return [...files].filter(({ type }) => PICTURE_TYPES.includes(type));
}
