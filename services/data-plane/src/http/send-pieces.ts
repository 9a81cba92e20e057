import { PatientTimer } from '@model-gateway/service-kit';
import type { Exchange } from './exchange.ts';

/** A client that reads more slowly must not keep a large answer in memory. */
const MIN_BYTES_PER_SECOND = 16_000;
const NOTHING = Buffer.alloc(0);

export interface SendPiecesOptions {
  headers: Record<string, string | number>;
  /** The time over which the client's speed is measured. */
  windowMs: number;
  /** Called with the number of bytes that were sent and need no memory any more. */
  onSent: (bytes: number) => void;
}

/**
 * Sends an answer in pieces, no faster than the client reads, and forgets each piece when it is sent. A
 * client that reads too slowly is cut off.
 * @param pieces is emptied
 */
export function sendPieces(
  { res, ends }: Exchange,
  pieces: Buffer[],
  { headers, windowMs, onSent }: SendPiecesOptions,
): void {
  // Pieces are taken from the end, because removing the first of many is slow.
  pieces.reverse();
  res.writeHead(200, headers);
  let inWindow = 0;
  let written = 0;
  const sent = () => {
    inWindow += written;
    onSent(written);
    written = 0;
  };
  const onDrain = () => {
    sent();
    send();
  };
  const send = () => {
    while (pieces.length > 1 && !res.destroyed) {
      const piece = pieces.pop() ?? NOTHING;
      written += piece.length;
      if (!res.write(piece)) return;
    }
    // For the little that is left to send, the time limit of the connection is enough.
    watch.clear();
    res.off('drain', onDrain);
    res.end(pieces.pop() ?? NOTHING);
  };
  const startWindow = () =>
    new PatientTimer(windowMs, () => {
      if (inWindow < (MIN_BYTES_PER_SECOND * windowMs) / 1_000) {
        res.destroy();
        return;
      }
      inWindow = 0;
      watch = startWindow();
    });
  let watch = startWindow();
  res.on('drain', onDrain);
  ends.push(() => {
    watch.clear();
    res.off('drain', onDrain);
    pieces.length = 0;
  });
  send();
}
