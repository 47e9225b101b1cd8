import { answered, api } from './client.ts';

/** Deletes what was made under an id of the page's own, unless somebody has written on it since; says whether. @throws Failure */
export async function deleteUntouched(id: string): Promise<boolean> {
  const params = { path: { id } };
  const { ver, cid } = await answered(api.GET('/entities/{id}', { params }));
  if (ver !== 1) return false;
  await answered(api.DELETE('/entities/{id}', { params, body: { expect_tip: cid } }));
  return true;
}
