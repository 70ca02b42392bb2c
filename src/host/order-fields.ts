import * as z from "zod";

/** The author of what nobody but the host itself may order. */
const SYSTEM_AUTHOR = "system";
const MAX_KEY_UNITS = 128;

/** What every order has that one conversation carries to another. */
export const orderFields = {
  author: z
    .string()
    .min(1)
    .max(128)
    .refine((author) => author !== SYSTEM_AUTHOR, { error: "the system's own turns are the host's alone to order" }),
  key: z
    .string()
    .max(MAX_KEY_UNITS)
    .regex(/^[\w.:-]+$/),
  conversation: z.exactOptional(z.string().min(3).max(300)),
};
