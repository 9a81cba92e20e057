import { z } from 'zod';

/** Id in a report of a data plane. Limited, because ids are indexed; Postgres rejects NUL. */
export const reportedId = z.string().regex(/^[^\0]{1,300}$/);
