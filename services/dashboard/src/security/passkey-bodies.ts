import { z } from 'zod';

/** Base64url. @param maxLength in characters */
const bytes = (maxLength: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(maxLength);

const credentialId = bytes(1_400);
const fields = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).transform(() => ({})),
};

/** Result of navigator.credentials.get(), as JSON. */
const passkeyProof = z.object({
  ...fields,
  response: z.object({
    clientDataJSON: bytes(4_000),
    authenticatorData: bytes(4_000),
    signature: bytes(8_000),
  }),
});

export const passkeyProofBody = z.object({ response: passkeyProof });

/** Result of navigator.credentials.create(), as JSON, and the name of the passkey. */
export const addPasskeyBody = z.object({
  name: z.string('is missing').trim().min(1, 'is missing').max(60, 'must have at most 60 characters'),
  response: z.object({
    ...fields,
    response: z.object({
      clientDataJSON: bytes(4_000),
      attestationObject: bytes(12_000),
      transports: z
        .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']))
        .catch([]),
    }),
  }),
});
