import { describe, expect, it } from 'vitest';
import { readImageMarkdown, writeImageMarkdown } from './image-markdown.ts';

const URL = 'data:image/png;base64,iVBORw0KGgo=';

describe('an image in Markdown text', () => {
  it('is extracted, and the text around it stays', () => {
    expect(readImageMarkdown(`before ${writeImageMarkdown(URL)}${writeImageMarkdown(URL)} after`)).toEqual([
      { text: 'before ' },
      { url: URL },
      { text: '' },
      { url: URL },
      { text: ' after' },
    ]);
  });

  it.each([
    ['an address', '![image](https://example.com/a.png)'],
    ['one that is cut off', `![image](${URL}`],
    ['another kind of data', '![image](data:text/html;base64,AAAA)'],
  ])('is not found in %s', (_title, text) => {
    expect(readImageMarkdown(text)).toEqual([{ text }]);
  });
});
