import { createLogger } from '@model-gateway/service-kit';
import { startMailServer } from '@model-gateway/test-kit/mail-server';
import { expect, it } from 'vitest';
import { Mailer, MailRefused, mailConfig } from '../src/index.ts';

const lines: string[] = [];
const log = createLogger({
  service: 'test',
  level: 'info',
  destination: { write: (line) => lines.push(line) },
});
const names = { productName: 'Acme AI', publicUrl: 'https://gateway.example.com' };
const mail = { to: 'ada@example.com', subject: 'Hello', text: 'A line.\n' };

it('a delivered mail has arrived at the mail server, with the sender that the settings imply', async () => {
  await using server = await startMailServer();
  const mailer = new Mailer({ mail: mailConfig({ SMTP_URL: server.url }, names), log });
  await mailer.deliver(mail);
  expect(server.mails).toMatchObject([{ from: 'no-reply@gateway.example.com', to: ['ada@example.com'] }]);
  await mailer.close(1_000);
});

it('a refused mail is reported without the address', async () => {
  await using server = await startMailServer();
  server.refuse();
  const mailer = new Mailer({ mail: mailConfig({ SMTP_URL: server.url }, names), log });
  const error = await mailer.deliver(mail).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MailRefused);
  expect(error).toMatchObject({ refusal: { responseCode: 550 } });
  mailer.send(mail);
  await mailer.close(5_000);
  expect(lines.join('')).toContain('a mail could not be sent');
  expect(JSON.stringify(error) + String(error) + lines.join('')).not.toContain('ada@example.com');
});

it('without a mail server nothing is delivered', async () => {
  const mailer = new Mailer({ mail: mailConfig({}, names), log });
  expect(mailer.isConfigured).toBe(false);
  await expect(mailer.deliver(mail)).rejects.toThrow(MailRefused);
});
