import type { Socket } from 'node:dgram';
import { answerQuery } from './answer-query.ts';

/**
 * Answers every DNS query that arrives. What cannot be sent is dropped, as networks drop it: whoever asked
 * asks again, and no packet ends the process.
 * @param addressesOf as for `answerQuery`
 */
export function answerQueries(socket: Socket, addressesOf: (name: string) => readonly string[]): void {
  socket.on('message', (query, { address, port }) => {
    const answer = answerQuery(query, addressesOf);
    // Port 0 stands in forged packets only, and Node throws when it is to send there.
    if (answer !== undefined && port !== 0) socket.send(answer, port, address, () => undefined);
  });
}
