import { z } from 'zod';

export const tier = z.enum(['free', 'paid']);
export type Tier = z.infer<typeof tier>;

export const providerId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a provider id is lower-case letters, digits, ".", "_" or "-"')
  .meta({ title: 'up to 63 lower-case letters, digits, `.`, `_` and `-`' });

export const modelId = z
  .string()
  .max(200)
  .regex(
    /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'a model id has the form <provider>/<model_name>',
  )
  .meta({ title: '`<provider>/<model_name>`' });

export const alias = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9@](?:[A-Za-z0-9._:@+/-]*[A-Za-z0-9])?$/,
    'an alias is letters, digits, ".", "_", ":", "@", "+", "/" and "-", and ends in a letter or digit',
  )
  .meta({ title: 'name of a model' });
