import { PatientTimer } from '@model-gateway/service-kit';
import type { Exchange } from './exchange.ts';

/** A client that reads more slowly is cut off, so that it cannot hold a large response in memory. */
const MIN_BYTES_PER_SECOND = 16_000;
const NOTHING = Buffer.alloc(0);

export interface SendPiecesOptions {
  headers: Record<string, string | number>;
  /** Window over which the client's speed is measured. */
  windowMs: number;
  /** Called with the number of sent bytes, whose memory is free. */
  onSent: (bytes: number) => void;
}

/**
 * Sends a response in pieces, no faster than the client reads, and drops each sent piece.
 * @param pieces is emptied
 */
export function sendPieces(
  { res, ends, stop }: Exchange,
  pieces: Buffer[],
  { headers, windowMs, onSent }: SendPiecesOptions,
): void {
  // Reversed, because removing the first of many elements is slow.
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
    // A request that is stopped by nothing goes on without its client (answer-recording.ts).
    while (pieces.length > 1 && !(res.destroyed && stop.signal.aborted)) {
      const piece = pieces.pop() ?? NOTHING;
      written += piece.length;
      if (!res.write(piece)) return;
    }
    // The connection's own timeout covers the last piece.
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
