import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { answerQuery } from './answer-query.ts';

it('a resolver gets the addresses of a name, and hears of a name that nobody has', async () => {
  const socket = createSocket('udp4');
  socket.on('message', (query, { address, port }) => {
    const answer = answerQuery(query, (name) =>
      name === 'data-plane' ? ['172.18.0.4', '172.18.0.255'] : [],
    );
    if (answer !== undefined) socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  try {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    expect((await resolver.resolve4('data-plane')).sort()).toEqual(['172.18.0.255', '172.18.0.4']);
    await expect(resolver.resolve6('data-plane')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('nobody')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  } finally {
    socket.close();
  }
});

it('what is no query gets no answer', () => {
  for (const packet of ['', 'x', '\0'.repeat(12), `${'\0'.repeat(5)}\x01${'\0'.repeat(6)}\x05abc`]) {
    expect(answerQuery(Buffer.from(packet, 'latin1'), () => ['172.18.0.4'])).toBeUndefined();
  }
});
