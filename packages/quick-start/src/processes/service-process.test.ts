import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STARTED } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { expect, it } from 'vitest';
import { choosePort, withFreePorts } from './choose-port.ts';
import { lastLines, startServiceProcess } from './service-process.ts';

it('keeps the port that was asked for by name when another one is snatched away during the start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-process-'));
  try {
    const starts = join(dataDir, 'starts');
    const program = join(dataDir, 'program.mjs');
    writeFileSync(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync('${starts}', process.env.PORT + ' ' + process.env.URL + '\\n');
if (readFileSync('${starts}', 'utf8').split('\\n').length === 2) {
  console.error('could not start: listen EADDRINUSE: address already in use');
  process.exit(1);
}
process.send('${STARTED}');
process.on('disconnect', () => process.exit());
setInterval(() => undefined, 1000);`,
    );
    const port = await freePort();
    const internalPort = await freePort();
    const signal = new AbortController().signal;
    const service = await withFreePorts(async (reserved) => {
      const PORT = await choosePort({ port, option: '--port' }, reserved);
      const definition = {
        name: 'test',
        program: pathToFileURL(program),
        environment: { URL: `http://127.0.0.1:${PORT}` },
        ports: { PORT, INTERNAL_PORT: await choosePort({ port: internalPort, option: undefined }, reserved) },
        readyPort: 'PORT',
        readyPath: '/',
      };
      return await startServiceProcess(dataDir, definition, signal);
    });
    await service.first.stop();
    expect(service.ports.PORT).toBe(port);
    expect(readFileSync(starts, 'utf8')).toBe(`${port} http://127.0.0.1:${port}\n`.repeat(2));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

it('shows how a log ends that is longer than any text can be, and nothing of one that is not there', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-process-'));
  try {
    const log = join(dataDir, 'service.log');
    writeFileSync(log, '');
    // The file takes no room on the disk.
    truncateSync(log, 600 * 1024 * 1024);
    appendFileSync(log, '\none\ntwo\nthree\nfour\nfive\n');
    expect(lastLines(log)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(lastLines(join(dataDir, 'none.log'))).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
