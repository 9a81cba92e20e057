import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { AdminProof, type GrpcStatus, gatewayProto } from '@model-gateway/contracts';

export const PROVE_SERVER = '/gateway.v1.AdminService/ProveServer';
const { requestDeserialize, responseSerialize } = gatewayProto.AdminService.service.ProveServer;
/** A gRPC message stands behind one byte for its compression and four for its length. */
const PREFIX_BYTES = 5;

interface Heard {
  path: string;
  authorization: string | undefined;
  /** All headers, as the other side has written them, and the body. */
  text: string;
}

interface ProofMessage {
  proof: Buffer;
  timeMs: number;
  installation: string;
}

/** The stranger's answer when it must prove itself. */
type Answer = { httpStatus: number } | { status: GrpcStatus } | ProofMessage;

/** A program that listens where somebody expects a control plane, and writes down all that it is told. */
export interface Stranger extends AsyncDisposable {
  port: number;
  heard: readonly Heard[];
}

/** @param answer what it says to the question for a proof; to everything else it says UNIMPLEMENTED */
export async function startStranger(answer: (nonce: Buffer) => Answer): Promise<Stranger> {
  const heard: Heard[] = [];
  const server = createServer();
  server.on('stream', async (stream, headers: IncomingHttpHeaders) => {
    const body = await buffer(stream);
    const path = headers[':path'] ?? '';
    heard.push({
      path,
      authorization: headers.authorization,
      text: `${JSON.stringify(headers)}\n${body.toString('latin1')}`,
    });
    const said: Answer =
      path === PROVE_SERVER ? answer(requestDeserialize(body.subarray(PREFIX_BYTES)).nonce) : { status: 12 };
    if ('httpStatus' in said) return stream.respond({ ':status': said.httpStatus }, { endStream: true });
    const head = { ':status': 200, 'content-type': 'application/grpc' };
    if ('status' in said) {
      return stream.respond({ ...head, 'grpc-status': String(said.status) }, { endStream: true });
    }
    const message = responseSerialize(said);
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(message.length, 1);
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([prefix, message]));
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return {
    port: address.port,
    heard,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export function provenBy(token: string, nonce: Buffer): ProofMessage {
  const statement = { timeMs: Date.now(), installation: 'elsewhere' };
  return { ...statement, proof: new AdminProof(token).proveServer(nonce, statement) };
}
