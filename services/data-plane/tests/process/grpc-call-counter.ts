import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Counts gRPC calls on the wire: each is one HTTP/2 stream, which its client opens with one HEADERS frame.
 */
export interface GrpcCallCounter extends AsyncDisposable {
  port: number;
  /** Calls that were opened so far, of every kind. */
  readonly calls: number;
}

const PREFACE_BYTES = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.length;
const FRAME_HEADER_BYTES = 9;
const HEADERS = 1;

/** Passes everything on to `port`, unencrypted. */
export async function startGrpcCallCounter(port: number): Promise<GrpcCallCounter> {
  const sockets = new Set<Socket>();
  let calls = 0;
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
    near.on(
      'data',
      frameReader((type) => {
        if (type === HEADERS) calls += 1;
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    get calls() {
      return calls;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Tells the type of each frame of a client (RFC 9113, section 4.1). */
function frameReader(onFrame: (type: number) => void): (chunk: Buffer) => void {
  let skip = PREFACE_BYTES;
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const skipped = Math.min(skip, rest.length);
      rest = rest.subarray(skipped);
      skip -= skipped;
      if (skip > 0 || rest.length < FRAME_HEADER_BYTES) return;
      onFrame(rest.readUInt8(3));
      skip = FRAME_HEADER_BYTES + rest.readUIntBE(0, 3);
    }
  };
}
