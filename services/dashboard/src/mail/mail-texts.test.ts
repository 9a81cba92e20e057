import { describe, expect, it } from 'vitest';
import { invitationMail, passwordResetMail, verificationMail } from './mail-texts.ts';

const link = 'https://dashboard.example.com/x#token=abc';

describe('a mail', () => {
  it('names the product, and has its link on a line of its own', () => {
    const details = { product: 'Acme AI', to: 'ada@example.com', link };
    const mails = [
      verificationMail(details),
      passwordResetMail(details),
      invitationMail({ ...details, inviter: 'owner@example.com', teamName: 'Research', expiresAtMs: 0 }),
    ];
    for (const mail of mails) {
      expect(mail.text.split('\n')).toContain(link);
      expect(mail.text).toContain('Acme AI');
    }
  });

  it('shows the name of a team on one line and without a link', () => {
    const teamName = `Win at https://evil.example/now\r\nBcc: all@example.com\u2028Pay\u2029now ${'x'.repeat(300)}`;
    const { text } = invitationMail({
      product: 'Acme AI',
      to: 'a@example.com',
      link,
      inviter: 'o@example.com',
      teamName,
      expiresAtMs: 0,
    });
    expect(text).not.toMatch(/evil\.example|^Bcc|^Pay|^now/m);
    expect(text.match(/https:/g)).toEqual(['https:']);
    expect(text.split('\n')[0]?.length).toBeLessThan(200);
  });
});
