import type { Page } from 'playwright-core';
import { z } from 'zod';
import { inPage } from './act.ts';

/**
 * Returns the words and ids of the page that are on two lines. A hyphen or slash may end a line within a
 * word, but not within an id. Outside lists and tables, code and texts that may break anywhere are left out.
 */
export async function brokenWords(page: Page): Promise<string[]> {
  return await inPage(page, BROKEN_WORDS, z.array(z.string()));
}

const BROKEN_WORDS = `(() => {
  const broken = [];
  const range = document.createRange();
  const isBroken = (node, start, end) => {
    range.setStart(node, start);
    range.setEnd(node, end);
    const tops = [...range.getClientRects()].map(({ top }) => top);
    return Math.max(...tops) - Math.min(...tops) > 4;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    const place = node.parentElement;
    if (place.closest('script, style, textarea')) continue;
    if (place.closest('.break-anywhere, code, pre') && !place.closest('table, li')) continue;
    const isId = place.closest('[data-id]') !== null;
    for (const { 0: word, index } of node.data.matchAll(isId ? /.+/g : /[^\\s/‐–—-]+/g)) {
      if (isBroken(node, index, index + word.length)) broken.push(word);
    }
  }
  return broken;
})()`;
