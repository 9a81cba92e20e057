import { randomBytes } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { chooseRunAs } from '../src/embedded-postgres/run-as.ts';
import { NOBODY, newFolder } from './embedded-postgres-fixture.ts';

const SOME_USER = 12_345;
/** Stands for a system that refuses user namespaces. */
const NO_UNSHARE = '/nonexistent/unshare';

/** Returns the place of the cluster of a made-up folder, with nothing there yet. */
function elsewhere() {
  const folder = `/nonexistent/${randomBytes(8).toString('hex')}`;
  const { folder: path } = chooseRunAs(folder, NO_UNSHARE);
  rmSync(path, { recursive: true });
  return { folder, path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

describe.skipIf(process.getuid?.() === 0)('an ordinary user', () => {
  it('runs Postgres as itself, in the preferred folder', () => {
    expect(chooseRunAs('/somewhere')).toEqual({ prefix: [], folder: '/somewhere' });
  });
});

describe.runIf(process.getuid?.() === 0)('root without user namespaces', () => {
  it('runs Postgres as nobody, in a folder that is nobody’s alone, and the next time in the same', () => {
    using place = elsewhere();
    const runAs = chooseRunAs(place.folder, NO_UNSHARE);
    expect(runAs).toEqual({ prefix: [], uid: NOBODY, gid: NOBODY, folder: place.path });
    expect(lstatSync(place.path)).toMatchObject({ uid: NOBODY, gid: NOBODY });
    expect(lstatSync(place.path).mode & 0o777).toBe(0o700);
    expect(chooseRunAs(place.folder, NO_UNSHARE)).toEqual(runAs);
    expect(chooseRunAs(`${place.folder}-other`, NO_UNSHARE).folder).not.toBe(place.path);
    rmSync(chooseRunAs(`${place.folder}-other`, NO_UNSHARE).folder, { recursive: true });
  });

  it('gives nothing away through a link that somebody has put there', async () => {
    using place = elsewhere();
    await using target = await newFolder();
    mkdirSync(target.dataDir);
    symlinkSync(target.dataDir, place.path);
    expect(() => chooseRunAs(place.folder, NO_UNSHARE)).toThrow(`${place.path} is not ours`);
    expect(lstatSync(target.dataDir).uid).toBe(0);
  });

  it('does not use a folder that another user has put there', () => {
    using place = elsewhere();
    mkdirSync(place.path);
    chownSync(place.path, SOME_USER, SOME_USER);
    expect(() => chooseRunAs(place.folder, NO_UNSHARE)).toThrow(`${place.path} is not ours`);
    expect(lstatSync(place.path).uid).toBe(SOME_USER);
  });
});
