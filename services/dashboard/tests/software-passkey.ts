import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PUBLIC_URL } from './server-fixture.ts';

const withChallenge = z.looseObject({ challenge: z.string() });

interface Signing {
  origin?: string;
  /** False: the authenticator did not ask for a PIN or biometrics. */
  verifiesUser?: boolean;
  /** Count of uses; 0: it does not count. */
  counter?: number;
}

/** A passkey in software (ES256), which answers what a browser would ask an authenticator. */
export class SoftwarePasskey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(32);

  get id(): string {
    return this.#id.toString('base64url');
  }

  /** @param options the server's, of a registration */
  register(options: unknown, signing: Signing = {}): object {
    const key = this.#keys.publicKey.export({ format: 'jwk' });
    const coordinate = (text = '') => bytes(Buffer.from(text, 'base64url'));
    const publicKey = map([
      [1, integer(2)],
      [3, integer(-7)],
      [-1, integer(1)],
      [-2, coordinate(key.x)],
      [-3, coordinate(key.y)],
    ]);
    const length = Buffer.from([0, this.#id.length]);
    const authData = Buffer.concat([
      authenticatorData(signing, 0x40),
      Buffer.alloc(16),
      length,
      this.#id,
      publicKey,
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.from([0xa0]),
      text('authData'),
      bytes(authData),
    ]);
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', options, signing).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** @param options the server's, of a sign-in or a proof */
  sign(options: unknown, signing: Signing = {}): object {
    const authData = authenticatorData(signing, 0);
    const client = clientData('webauthn.get', options, signing);
    const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()]);
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: createSign('sha256').update(signed).sign(this.#keys.privateKey, 'base64url'),
    });
  }

  #credential(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }
}

function clientData(type: string, options: unknown, { origin = PUBLIC_URL }: Signing): Buffer {
  const { challenge } = withChallenge.parse(options);
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function authenticatorData({ verifiesUser = true, counter = 0 }: Signing, flags: number): Buffer {
  const domain = createHash('sha256').update(new URL(PUBLIC_URL).hostname).digest();
  const counted = Buffer.alloc(4);
  counted.writeUInt32BE(counter);
  return Buffer.concat([domain, Buffer.from([flags | (verifiesUser ? 5 : 1)]), counted]);
}

/** Encodes CBOR: small integers, short texts, byte strings of at least 24 bytes, and maps of them. */
function integer(value: number): Buffer {
  return Buffer.from([value >= 0 ? value : 0x20 | (-1 - value)]);
}

function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
}

function bytes(value: Buffer): Buffer {
  const isShort = value.length < 256;
  const head = isShort ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 255];
  return Buffer.concat([Buffer.from(head), value]);
}

function map(entries: [key: number, value: Buffer][]): Buffer {
  const body = entries.flatMap(([key, value]) => [integer(key), value]);
  return Buffer.concat([Buffer.from([0xa0 | entries.length]), ...body]);
}
