import type { BackArrow } from './circles.ts';

/** Folders of a service import each other in one direction, but for these. */
export const BACK_ARROWS: readonly BackArrow[] = [
  {
    from: 'services/control-plane/src/pools',
    to: 'services/control-plane/src/accounts',
    because: 'a pool has an owner, who is looked for by id or e-mail address; who ends takes its pools along',
  },
  {
    from: 'services/control-plane/src/pools',
    to: 'services/control-plane/src/teams',
    because: 'the owner may be a team or a seat, and who owns a team may move its money',
  },
  {
    from: 'services/data-plane/src/keys',
    to: 'services/data-plane/src/request-record.ts',
    because: 'a key that is revoked ends the requests that are open on it, and a request knows its key',
  },
  {
    from: 'services/data-plane/src/json',
    to: 'services/data-plane/src/capabilities',
    because: 'the thread that parses a large body counts at once what a model reads of it',
  },
  {
    from: 'services/data-plane/src/steps',
    to: 'services/data-plane/src/capabilities',
    because: 'a transcription is read and encoded as one stream, which no step may hold as a whole',
  },
];
