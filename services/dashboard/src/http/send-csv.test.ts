import { once } from 'node:events';
import { createServer } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { sendCsv } from './send-csv.ts';

describe('a CSV file', () => {
  it('does not fail if the client disconnects before the first row', async () => {
    const started = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const app = express();
    app.get('/', (_req, res) => {
      async function* rows(): AsyncGenerator<string[]> {
        started.resolve();
        await once(res, 'close');
        yield ['late'];
      }
      sendCsv(res, { fileName: 'a.csv', header: ['a'], rows: rows() }).then(sent.resolve, sent.reject);
    });
    const server = createServer(app);
    const port = await listen(server, 0, '127.0.0.1');
    const reader = new AbortController();
    const response = fetch(`http://127.0.0.1:${port}/`, { signal: reader.signal });
    await started.promise;
    reader.abort();
    await expect(response).rejects.toThrow();
    await expect(sent.promise).resolves.toBeUndefined();
    await closeServer(server, 1_000);
  });
});
