import { isBlank, isObj, list, type Obj, obj, str } from "./reading.ts";

/** Complaints, each a sentence as a vendor would give it with a 400. */
export type Complaints = readonly string[];

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const MAX_IMAGE_BASE64 = 5 * 1024 * 1024;

export function checkKeys(value: Obj, allowed: readonly string[], where: string): Complaints {
  return Object.keys(value)
    .filter((key) => !allowed.includes(key))
    .map((key) => `${where}.${key}: extra inputs are not permitted`);
}

/** Every text of the request must be well-formed Unicode: vendors cannot decode half of a surrogate pair. */
export function checkUnicode(value: unknown, where = "body"): Complaints {
  if (typeof value === "string") return value.isWellFormed() ? [] : [`${where}: no low surrogate in string`];
  if (Array.isArray(value)) return value.flatMap((item, index) => checkUnicode(item, `${where}[${index}]`));
  return isObj(value) ? Object.entries(value).flatMap(([key, item]) => checkUnicode(item, `${where}.${key}`)) : [];
}

export function checkText(value: unknown, where: string): Complaints {
  return isBlank(value) ? [`${where}: text must contain non-whitespace text`] : [];
}

export function checkToolName(value: unknown, where: string): Complaints {
  return NAME.test(str(value)) ? [] : [`${where}: name must match ${NAME.source}`];
}

export function checkCallId(value: unknown, where: string): Complaints {
  return CALL_ID.test(str(value)) ? [] : [`${where}: call id must match ${CALL_ID.source}`];
}

export function checkUnique(ids: readonly string[], where: string): Complaints {
  return ids
    .filter((id, index) => ids.indexOf(id) !== index)
    .map((id) => `${where}: ids must be unique, got ${id} twice`);
}

/** The schema of a tool: an object at the top, without alternatives there. */
export function checkSchema(value: unknown, where: string): Complaints {
  if (!isObj(value)) return [`${where}: must be a JSON Schema object`];
  const banned = ["oneOf", "anyOf", "allOf", "not", "enum"].filter((key) => key in value);
  return [
    ...(value.type === "object" ? [] : [`${where}: type must be "object"`]),
    ...banned.map((key) => `${where}: ${key} is not supported at the top level`),
    ...(value.properties === undefined || isObj(value.properties) ? [] : [`${where}.properties: must be an object`]),
    ...(value.required === undefined || list(value.required).every((name) => typeof name === "string")
      ? []
      : [`${where}.required: must be a list of names`]),
  ];
}

/** Base64 of an image whose first bytes are of the declared type. */
export function checkImage(mime: unknown, data: unknown, where: string): Complaints {
  const text = str(data);
  if (!IMAGE_TYPES.includes(str(mime))) return [`${where}: unsupported image type ${str(mime)}`];
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return [`${where}: invalid base64`];
  if (text.length > MAX_IMAGE_BASE64) return [`${where}: image exceeds 5 MB maximum`];
  const head = atob(text.slice(0, 24));
  const magic = { "image/png": "\x89PNG", "image/jpeg": "\xff\xd8", "image/gif": "GIF8", "image/webp": "RIFF" };
  return head.startsWith(magic[str(mime) as keyof typeof magic]) ? [] : [`${where}: could not process image`];
}

export function checkDataUrl(url: unknown, where: string): Complaints {
  const [, mime, data] = /^data:([^;]+);base64,(.*)$/s.exec(str(url)) ?? [];
  return mime === undefined ? [`${where}: expected a data URL`] : checkImage(mime, data, where);
}

/** Results must answer exactly the calls, each once, in the same order. */
export function checkAnswered(calls: readonly string[], results: readonly string[], where: string): Complaints {
  const missing = calls.filter((id) => !results.includes(id));
  const orphans = results.filter((id) => !calls.includes(id));
  const twice = results.filter((id, index) => results.indexOf(id) !== index);
  const misordered = missing.length + orphans.length + twice.length === 0 && calls.join() !== results.join();
  return [
    ...missing.map((id) => `${where}: no result for call ${id}`),
    ...orphans.map((id) => `${where}: result for ${id}, which was not called`),
    ...twice.map((id) => `${where}: more than one result for ${id}`),
    ...(misordered ? [`${where}: results are not in the order of their calls`] : []),
  ];
}

/** The function tools of OpenAI's wires, both shapes. */
export function checkFunctions(tools: readonly Obj[], inner: (tool: Obj) => Obj, where: string): Complaints {
  const names = tools.map((tool) => str(inner(tool).name));
  return [
    ...checkUnique(names, where),
    ...tools.flatMap((tool, index) => [
      ...(tool.type === "function" ? [] : [`${where}[${index}].type: must be "function"`]),
      ...checkToolName(inner(tool).name, `${where}[${index}]`),
      ...checkSchema(inner(tool).parameters, `${where}[${index}].parameters`),
    ]),
  ];
}

export function objs(value: unknown): readonly Obj[] {
  return list(value).map(obj);
}
