import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../src/browser.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'browser-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('findChromium', () => {
  it('CHROMIUM_PATH names the browser, and no other is used when it is missing', () => {
    const PATH = folderWith('chromium');
    expect(findChromium({ PATH, CHROMIUM_PATH: process.execPath })).toEqual({
      executablePath: process.execPath,
    });
    const gone = join(folder, 'gone');
    expect(findChromium({ PATH, CHROMIUM_PATH: gone })).toEqual({ missing: expect.stringContaining(gone) });
  });

  it('the browser is found on the PATH', () => {
    const PATH = `/nowhere:${folderWith('google-chrome')}`;
    expect(findChromium({ PATH })).toEqual({ executablePath: join(folder, 'google-chrome') });
  });

  it('a headless shell is preferred', () => {
    const PATH = [folderWith('chromium'), folderWith('chromium-headless-shell')].join(delimiter);
    expect(findChromium({ PATH })).toEqual({ executablePath: join(folder, 'chromium-headless-shell') });
  });

  it.skipIf(process.platform === 'darwin')('the reason is returned when there is no browser', () => {
    expect(findChromium({ PATH: folder })).toEqual({ missing: expect.stringContaining('CHROMIUM_PATH') });
  });
});

function folderWith(program: string): string {
  writeFileSync(join(folder, program), '', { mode: 0o755 });
  return folder;
}
