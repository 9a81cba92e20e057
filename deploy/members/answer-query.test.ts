import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { answerQueries } from './answer-queries.ts';
import { answerQuery } from './answer-query.ts';

it('a resolver gets the addresses of a name, and hears of a name that nobody has', async () => {
  const socket = createSocket('udp4');
  answerQueries(socket, (name) => (name === 'data-plane' ? ['172.18.0.4', '172.18.0.255'] : []));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  try {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${socket.address().port}`]);
    expect((await resolver.resolve4('data-plane')).sort()).toEqual(['172.18.0.255', '172.18.0.4']);
    // From a port and from an address that nothing can be sent to.
    const query = Buffer.from('000101000001000000000000046e616d650000010001', 'hex');
    for (const [address, port] of [
      ['127.0.0.1', 0],
      ['255.255.255.255', 53],
    ])
      socket.emit('message', query, { address, port, family: 'IPv4', size: query.length });
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
