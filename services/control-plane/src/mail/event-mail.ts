import { type Mail, paragraphs } from '@model-gateway/mail';
import { describeEvent } from './event-texts.ts';
import type { ClaimedMail, MailedEvent } from './mail-delivery-store.ts';

export interface EventMailSettings {
  productName: string;
  /** URL of the dashboard; undefined: mails have no link. */
  publicUrl: string | undefined;
}

/** Events that a mail with several lists; of the others it says how many there are. */
const MAX_LISTED = 20;

/** Returns the mail of one event, or of several that wait for an address which gets many. */
export function mailOf(
  { events, to }: Pick<ClaimedMail, 'events' | 'to'>,
  settings: EventMailSettings,
): Mail {
  const distinct = [...new Map(events.map((event) => [event.eventId, event])).values()];
  const [first] = distinct;
  if (first === undefined) throw new Error('a mail without an event');
  return distinct.length === 1 ? mailOfOne(to, first, settings) : mailOfSeveral(to, distinct, settings);
}

function mailOfOne(to: string, event: MailedEvent, { productName, publicUrl }: EventMailSettings): Mail {
  const { details = [], next, off, title } = describeEvent(event);
  return {
    to,
    subject: `${productName}: ${title}`,
    text: paragraphs(
      `${title}.`,
      ...details,
      ...[next, off].filter((text) => text !== undefined),
      ...linkTo(publicUrl),
      `${event.type}, ${event.createdAt.toISOString()}, ${event.eventId}`,
    ),
  };
}

function mailOfSeveral(
  to: string,
  events: readonly MailedEvent[],
  { productName, publicUrl }: EventMailSettings,
): Mail {
  const listed = events.slice(0, MAX_LISTED);
  const omitted = events.length - listed.length;
  const lines = listed.map((event) => `- ${event.createdAt.toISOString()} ${describeEvent(event).title}`);
  if (omitted > 0) lines.push(`${omitted} more ${omitted === 1 ? 'is' : 'are'} left out.`);
  return {
    to,
    subject: `${productName}: ${events.length} events`,
    text: paragraphs(
      `There were ${events.length} events. They come in one mail, because you have had many in this hour.`,
      lines.join('\n'),
      ...linkTo(publicUrl),
    ),
  };
}

function linkTo(publicUrl: string | undefined): string[] {
  return publicUrl === undefined ? [] : [`Dashboard: ${publicUrl}`];
}
