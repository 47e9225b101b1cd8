const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
const maxLength = 254;

/** An e-mail address as it is compared: without regard to case. Null for what is none. */
export function normalEmail(text: string | null): string | null {
  const address = text?.trim().toLowerCase() ?? '';
  return address.length <= maxLength && pattern.test(address) ? address : null;
}
