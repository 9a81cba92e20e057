import { network } from '@model-gateway/shared/rules';
import { z } from 'zod';

/** `WEBHOOK_NETWORKS`: CIDRs or addresses, separated by commas. */
export const webhookNetworksSetting = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine(
    (networks) => networks.every((each) => network.safeParse(each).success),
    'expected CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8',
  )
  .default([]);
