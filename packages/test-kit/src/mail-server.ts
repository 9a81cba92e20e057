import { once } from 'node:events';
import { SMTPServer } from 'smtp-server';
import { z } from 'zod';
import { until } from './until.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** The whole mail, decoded. */
  text: string;
}

export interface MailServer {
  /** An smtp: URL with the user and the password. */
  url: string;
  mails: readonly ReceivedMail[];
  /** Waits for a mail to the address. @param earlier how many mails to it to skip */
  mailTo(address: string, earlier?: number): Promise<ReceivedMail>;
  /** Refuses every recipient from now on. */
  refuse(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const addressSchema = z.object({ port: z.number() });
const USER = 'gateway';
const PASSWORD = 'a-password-of-the-mail-server';

/** Starts a real SMTP server on this machine that stores the mails. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let refuses = false;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === USER && password === PASSWORD
        ? done(null, { user: USER })
        : done(new Error('wrong user or password')),
    onRcptTo: (_address, _session, done) => done(refuses ? new Error('no such mailbox') : undefined),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: decoded(Buffer.concat(chunks).toString('utf8')),
        });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = addressSchema.parse(listening.address());
  return {
    url: `smtp://${USER}:${PASSWORD}@127.0.0.1:${port}`,
    mails,
    async mailTo(address, earlier = 0) {
      const toAddress = () => mails.filter(({ to }) => to.includes(address));
      await until(() => toAddress().length > earlier);
      const mail = toAddress()[earlier];
      if (mail === undefined) throw new Error(`no mail to ${address}`);
      return mail;
    },
    refuse: () => {
      refuses = true;
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes quoted-printable, the encoding of mails with long lines or non-ASCII letters. */
function decoded(mail: string): string {
  if (!/^content-transfer-encoding: quoted-printable/im.test(mail)) return mail;
  const bytes = mail
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function linkIn({ text }: ReceivedMail): string {
  return /^https?:\S+$/m.exec(text.replaceAll('\r', ''))?.[0] ?? '';
}
