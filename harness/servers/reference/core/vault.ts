import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "./random.ts";

/** Keeps plaintext out of the store: values rest encrypted and authenticated. */
export interface Vault {
  /** Encrypts `plaintext` for the holder named `holder` (an id); opening it for another one fails. */
  seal(holder: string, plaintext: Uint8Array): Uint8Array;
  /** The plaintext of `sealed`. Throws when it was altered or sealed for another holder. */
  open(holder: string, sealed: Uint8Array): Uint8Array;
}

const ivLength = 12;
const tagLength = 16;

/** A vault with a key of its own (AES-256-GCM). Sealed form: initialisation vector, tag, ciphertext. */
export function createVault(random: Random): Vault {
  const key = random.bytes(32);
  return {
    seal(holder, plaintext) {
      const iv = random.bytes(ivLength);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(holder));
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]);
    },
    open(holder, sealed) {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, ivLength))
        .setAAD(Buffer.from(holder))
        .setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
      return Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]);
    },
  };
}
