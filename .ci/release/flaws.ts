/** What a release is made of, as far as it can be checked before it is made. */
export interface Release {
  /** The tag, `v0.1.0`; none where nothing is released. */
  readonly tag: string | undefined;
  readonly manifest: {
    readonly version: string;
    readonly private?: boolean;
    readonly license?: string;
    readonly keywords?: readonly string[];
    readonly publishConfig?: { readonly provenance?: boolean };
  };
  readonly changelog: string;
  readonly readme: string;
  /** Versions that requirements were frozen for. */
  readonly frozen: readonly string[];
}

/** What keeps a release from being made, a sentence each. */
export function flawsOf({ tag, manifest, changelog, readme, frozen }: Release): readonly string[] {
  const { version } = manifest;
  const set = version.split(".").slice(0, 2).join(".");
  const demanded: readonly (readonly [boolean, string])[] = [
    [manifest.private !== true, "package.json says private: npm would not publish it; take that out."],
    [manifest.license !== undefined, "package.json names no license; name it."],
    [(manifest.keywords ?? []).length > 0, "package.json has no keywords; give some."],
    [
      manifest.publishConfig?.provenance === true,
      "package.json does not ask for provenance; set publishConfig.provenance.",
    ],
    [
      readme.includes(`hallmark-${version}.tgz`),
      `README.md names another package than hallmark-${version}.tgz; correct it.`,
    ],
    [frozen.includes(set), `No requirements are frozen for ${set}; run node .ci/freeze.ts.`],
  ];
  const ofTag: readonly (readonly [boolean, string])[] =
    tag === undefined
      ? []
      : [
          [tag === `v${version}`, `The tag ${tag} is not v${version}, the version of package.json; move one of them.`],
          [
            new RegExp(`^## ${version.replaceAll(".", "\\.")} `, "m").test(changelog),
            `CHANGELOG.md has no heading "## ${version} (DAY)"; write it.`,
          ],
        ];
  return [...demanded, ...ofTag].filter(([is]) => !is).map(([, sentence]) => sentence);
}
