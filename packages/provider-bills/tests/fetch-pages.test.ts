import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { fetchPages } from '../src/fetch-pages.ts';
import { fetchAnthropicBill, fetchOpenAiBill } from '../src/index.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  stops.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

async function read(fetchBill: typeof fetchAnthropicBill, port: number): Promise<void> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  for await (const _part of fetchBill({ adminKey: 'secret', baseUrl, fromMs: 0, toMs: 86_400_000 }));
}

it.each([fetchAnthropicBill, fetchOpenAiBill])(
  '%o takes no admin key to where it is redirected',
  async (fetchBill) => {
    let asked = 0;
    const other = await serve((_request, response) => {
      asked++;
      response.end('{"data":[],"has_more":false}');
    });
    const first = await serve((request, response) => {
      response.writeHead(302, { location: `http://localhost:${other}${request.url}` }).end();
    });
    await expect(read(fetchBill, first)).rejects.toThrow();
    expect(asked).toBe(0);
  },
);

it('a page that names itself as the next one is an error', async () => {
  const port = await serve((_request, response) => {
    response.end('{"data":[],"has_more":true,"next_page":"again"}');
  });
  await expect(read(fetchAnthropicBill, port)).rejects.toThrow('the same page');
});

it('pages without an end are an error', async () => {
  let asked = 0;
  const port = await serve((_request, response) => {
    response.end(JSON.stringify({ data: [], has_more: true, next_page: String(++asked) }));
  });
  const url = `http://127.0.0.1:${port}/costs`;
  const pages = fetchPages({ url, query: [], headers: {}, signal: undefined, maxPages: 20 });
  await expect(pages.next()).rejects.toThrow('more than 20 pages');
  expect(asked).toBe(20);
});

it('a page without an end is an error', async () => {
  const port = await serve((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1_024 * 1_024, ' ')));
    };
    response.on('drain', more);
    more();
  });
  await expect(read(fetchAnthropicBill, port)).rejects.toThrow('has more than 67108864 bytes');
});
