import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { STARTED } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { freePort } from '../../../test-kit/src/free-port.ts';
import { startService } from './service-process.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

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
    const definition = {
      name: 'test',
      program: relative(ROOT, program),
      environment: {},
      ports: {
        PORT: { port, option: '--port' },
        INTERNAL_PORT: { port: await freePort(), option: undefined },
      },
      fromPorts: ({ PORT }: Readonly<Record<string, number>>) => ({ URL: `http://127.0.0.1:${PORT}` }),
      readyPort: 'PORT',
      readyPath: '/',
    };
    const service = await startService(dataDir, definition, new Set(), new AbortController().signal);
    await service.first.stop();
    expect(service.ports.PORT).toBe(port);
    expect(readFileSync(starts, 'utf8')).toBe(`${port} http://127.0.0.1:${port}\n`.repeat(2));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
