import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { createCertificate } from "./certificate.ts";

test("a certificate is its own authority, for loopback, with its key", () => {
  const { key, cert } = createCertificate();
  const certificate = new X509Certificate(cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.ca).toBe(true);
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now());
  expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now());
});
