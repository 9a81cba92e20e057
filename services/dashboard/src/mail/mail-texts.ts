import { type Mail, paragraphs, quoted } from '@model-gateway/mail';

export interface LinkMailDetails {
  /** The name of the product. */
  product: string;
  to: string;
  link: string;
}

/** @param details its link works only in a session of this user */
export function verificationMail({ product, to, link }: LinkMailDetails): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: paragraphs(
      `Somebody, hopefully you, has signed up at ${product} with this e-mail address.`,
      'Open this link in the browser in which you are signed in, within 24 hours:',
      link,
      'If it was not you, do nothing: the address stays unconfirmed.',
    ),
  };
}

/** @param details its link sets a new password, once */
export function passwordResetMail({ product, to, link }: LinkMailDetails): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: paragraphs(
      `Somebody, hopefully you, asked to reset the password of your ${product} account.`,
      'Open this link to choose a new one. It works once, within an hour:',
      link,
      'If it was not you, do nothing: your password stays as it is.',
    ),
  };
}

export interface InvitationMailDetails extends LinkMailDetails {
  /** The verified e-mail address of the owner. */
  inviter: string;
  teamName: string;
  expiresAtMs: number;
}

export function invitationMail({
  product,
  to,
  inviter,
  teamName,
  link,
  expiresAtMs,
}: InvitationMailDetails): Mail {
  return {
    to,
    subject: `Invitation to a team on ${product}`,
    text: paragraphs(
      `${inviter} invites you to the team “${quoted(teamName)}” on ${product}.`,
      `To accept, open this link by ${new Date(expiresAtMs).toISOString().slice(0, 10)} and sign in:`,
      link,
      'Anybody with the link can accept it: do not share it.',
    ),
  };
}

export interface MembershipMailDetails extends LinkMailDetails {
  /** The verified e-mail address of the admin. */
  inviter: string;
  accountName: string;
  expiresAtMs: number;
}

export function membershipMail({
  product,
  to,
  inviter,
  accountName,
  link,
  expiresAtMs,
}: MembershipMailDetails): Mail {
  return {
    to,
    subject: `Invitation to an account on ${product}`,
    text: paragraphs(
      `${inviter} invites you to work in the account “${quoted(accountName)}” on ${product}.`,
      `To accept, open this link by ${new Date(expiresAtMs).toISOString().slice(0, 10)} and sign in:`,
      link,
      'Anybody with the link can accept it: do not share it.',
    ),
  };
}
