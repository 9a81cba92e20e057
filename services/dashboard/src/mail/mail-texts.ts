import type { Mail } from './mailer.ts';

/** The longest team name in a mail. */
const MAX_NAME_LENGTH = 80;

/**
 * The mail to somebody who has signed up.
 * @param link works only for somebody who is signed in to that sign-in
 */
export function verificationMail({ to, link }: { to: string; link: string }): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: lines(
      'Somebody, hopefully you, has signed up at Model Gateway with this e-mail address.',
      'Open this link in the browser in which you are signed in, within 24 hours:',
      link,
      'If it was not you, do nothing: without you the address proves nothing.',
    ),
  };
}

/** @param link sets a new password, once */
export function passwordResetMail({ to, link }: { to: string; link: string }): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: lines(
      'Somebody, hopefully you, wants to choose a new password for Model Gateway.',
      'This link opens the page for it. It works once, within an hour:',
      link,
      'If it was not you, do nothing: your password stays as it is.',
    ),
  };
}

export interface InvitationMailDetails {
  to: string;
  /** The e-mail address of the owner, who has proven it. */
  inviter: string;
  teamName: string;
  /** The link that takes the seat; it works once. */
  link: string;
  expiresAtMs: number;
}

export function invitationMail({ to, inviter, teamName, link, expiresAtMs }: InvitationMailDetails): Mail {
  return {
    to,
    subject: 'A seat in a team of Model Gateway',
    text: lines(
      `${inviter} offers you a seat in the team “${quoted(teamName)}” of Model Gateway.`,
      `To take it, open this link and sign in, until ${new Date(expiresAtMs).toISOString().slice(0, 10)}:`,
      link,
      'Whoever has the link can take the seat: pass it on to nobody.',
    ),
  };
}

/**
 * Makes a name safe for a mail. The owner of a team chooses its name, so it becomes one short line in which
 * no mail program finds a link.
 */
function quoted(name: string): string {
  const line = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll('://', ' ')
    .replaceAll('.', '․')
    .trim();
  return line.length > MAX_NAME_LENGTH ? `${line.slice(0, MAX_NAME_LENGTH)}…` : line;
}

function lines(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
