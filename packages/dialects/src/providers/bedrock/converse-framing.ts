import type { EventFraming } from '../../interfaces/event-framing.ts';
import { awsEvents } from './aws-event-stream.ts';

/** The name under which the translator gets an exception: no type of event has a colon in it. */
export const EXCEPTION = ':exception';

/** The messages of ConverseStream: each becomes an object whose one member is the event, under its type. */
export const converseFraming: EventFraming = awsEvents({
  event: (type, json) => `{${JSON.stringify(type)}:${json}}`,
  exception: (exception) => JSON.stringify({ [EXCEPTION]: exception }),
});
