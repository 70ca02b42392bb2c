import type { Finding } from "./finding.ts";

/** The parts of package.json that name packages. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const DOCUMENT = "docs/dependencies.md";
const ROW = /^\| (\S+) \| (\S+) \| (.+) \|$/;
const EXACT = /^\d/;

/** Compares package.json with the rows `| package | version | why |` of the document. */
export function checkDependencies(manifest: Manifest, document: string): Finding[] {
  const wanted = { ...manifest.dependencies, ...manifest.devDependencies };
  const rows = document.split("\n").flatMap((line) => {
    const [, name = "", version = ""] = ROW.exec(line) ?? [];
    return EXACT.test(version) ? [{ name, version }] : [];
  });
  const written = new Map(rows.map(({ name, version }) => [name, version]));
  const gone = [...written.keys()].filter((name) => !(name in wanted));
  return [
    ...Object.entries(wanted).flatMap(([name, version]) => checkPackage(name, version, written.get(name))),
    ...gone.map((name) => ({ where: DOCUMENT, what: `${name} is not in package.json; remove its row` })),
  ];
}

function checkPackage(name: string, version: string, written: string | undefined): Finding[] {
  if (!EXACT.test(version)) {
    return [{ where: "package.json", what: `${name} is ${version}; pin it: npm install --save-exact ${name}` }];
  }
  if (written === version) return [];
  const what =
    written === undefined
      ? `${name} ${version} has no row; add | ${name} | ${version} | why it is there |`
      : `${name} is written as ${written}, package.json has ${version}`;
  return [{ where: DOCUMENT, what }];
}
