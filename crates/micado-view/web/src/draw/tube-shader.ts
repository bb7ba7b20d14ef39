/** The GLSL that makes a tube from a centreline: three's standard material with its own vertex positions. */

import type { IUniform, WebGLProgramParametersWithUniforms } from "three";

export type TubeUniforms = Record<string, IUniform>;

/** Points in one row of the textures. */
export const TEXTURE_WIDTH = 1024;

/**
 * `around` has the indices of four consecutive points. `ring` is (position between the middle two from 0 to
 * 1, angle of the cap, angle around the rod, index of the rod). The centreline is the smooth curve through
 * the points (Catmull and Rom), straight at free ends. The ring lies in the plane of the director m₁ and t ×
 * m₁; a ring of a cap is scaled by cos and shifted by sin of its angle.
 */
const VERTEX_HEAD = /* glsl */ `
attribute vec4 around;
attribute vec4 ring;
uniform highp sampler2D pointTexture;
uniform highp sampler2D directorTexture;
uniform vec3 eye;
uniform vec3 gaze;
uniform float pixel;
uniform float leastPixels;
uniform float thicken;
varying float tubeValue;
varying float tubeAngle;
varying float tubeRod;
varying float tubeFat;

vec4 tubeTexel(highp sampler2D source, float index) {
    int i = int(index + 0.5);
    return texelFetch(source, ivec2(i % ${TEXTURE_WIDTH}, i / ${TEXTURE_WIDTH}), 0);
}

void tubeVertex(out vec3 place, out vec3 outward) {
    vec4 from = tubeTexel(pointTexture, around.y);
    vec4 to = tubeTexel(pointTexture, around.z);
    vec3 chord = to.xyz - from.xyz;
    vec3 leaving = 0.5 * (to.xyz - tubeTexel(pointTexture, around.x).xyz);
    vec3 arriving = 0.5 * (tubeTexel(pointTexture, around.w).xyz - from.xyz);
    bool first = around.x == around.y;
    bool last = around.z == around.w;
    if (first) leaving = last ? chord : 1.5 * chord - 0.5 * arriving;
    if (last) arriving = first ? chord : 1.5 * chord - 0.5 * leaving;
    float t = ring.x;
    vec3 quadratic = 3.0 * chord - 2.0 * leaving - arriving;
    vec3 cubic = leaving + arriving - 2.0 * chord;
    vec3 centre = from.xyz + t * (leaving + t * (quadratic + t * cubic));
    vec3 along = leaving + t * (2.0 * quadratic + 3.0 * t * cubic);
    vec4 director = mix(tubeTexel(directorTexture, around.y), tubeTexel(directorTexture, around.z), t);
    vec3 tangent = along / max(length(along), 1e-20);
    vec3 across = director.xyz - dot(director.xyz, tangent) * tangent;
    if (dot(across, across) < 1e-6)
        across = cross(tangent, abs(tangent.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0));
    across = normalize(across);
    vec3 spoke = cos(ring.z) * across + sin(ring.z) * cross(tangent, across);
    outward = cos(ring.y) * spoke + sin(ring.y) * tangent;
    float least = 0.5 * leastPixels * pixel * max(dot(centre - eye, gaze), 0.0);
    float radius = max(mix(from.w, to.w, t) * thicken, least);
    place = centre + radius * outward;
    tubeFat = radius / max(least, 1e-20);
    tubeValue = director.w;
    tubeAngle = ring.z;
    tubeRod = ring.w;
}
`;

const FRAGMENT_HEAD = /* glsl */ `
uniform sampler2D mapTexture;
uniform vec2 mapRange;
uniform bool mapped;
uniform vec3 palette[8];
uniform float hoverRod;
uniform float troubleRod;
uniform float firstGhost;
uniform vec3 troubleColour;
uniform vec3 ghostColour;
varying float tubeValue;
varying float tubeAngle;
varying float tubeRod;
varying float tubeFat;
`;

/**
 * The rod emits most of its light, so that its colours match the legend on the shaded side too. The material
 * stripe along m₁ is 48° wide, with a third of that at its back; it fades where a rod is too thin.
 */
const FRAGMENT_COLOUR = /* glsl */ `
float rod = floor(tubeRod + 0.5);
vec3 paint = palette[int(mod(rod, 8.0))];
if (mapped) {
    float share = (tubeValue - mapRange.x) / max(mapRange.y - mapRange.x, 1e-30);
    paint = texture2D(mapTexture, vec2(clamp(share, 0.002, 0.998), 0.5)).rgb;
}
if (rod >= firstGhost) paint = ghostColour;
if (abs(rod - troubleRod) < 0.5) paint = troubleColour;
float turned = abs(tubeAngle - 6.2831853 * floor(tubeAngle / 6.2831853 + 0.5));
float edge = max(fwidth(turned), 0.02);
float front = 1.0 - smoothstep(0.42 - edge, 0.42 + edge, turned);
float back = 1.0 - smoothstep(0.14 - edge, 0.14 + edge, 3.14159265 - turned);
float stripe = (front + back) * smoothstep(1.2, 2.6, tubeFat) * (rod >= firstGhost ? 0.0 : 1.0);
vec3 mark = dot(paint, vec3(0.3, 0.6, 0.1)) < 0.07 ? mix(paint, vec3(1.0), 0.7) : 0.1 * paint;
paint = mix(paint, mark, 0.85 * stripe);
if (abs(rod - hoverRod) < 0.5) paint = mix(paint, vec3(1.0), 0.16);
diffuseColor.rgb = 0.45 * paint;
totalEmissiveRadiance += 0.66 * paint;
`;

/** For the visible material. */
export function shadeTube(shader: WebGLProgramParametersWithUniforms, uniforms: TubeUniforms): void {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}`)
        .replace(
            "#include <beginnormal_vertex>",
            "vec3 tubePlace;\nvec3 objectNormal;\ntubeVertex(tubePlace, objectNormal);",
        )
        .replace("#include <begin_vertex>", "vec3 transformed = tubePlace;");
    shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${FRAGMENT_HEAD}`)
        .replace("#include <color_fragment>", FRAGMENT_COLOUR);
}

/** For the shadow. */
export function shadeTubeDepth(shader: WebGLProgramParametersWithUniforms, uniforms: TubeUniforms): void {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
        .replace("#include <common>", `#include <common>\n${VERTEX_HEAD}`)
        .replace(
            "#include <begin_vertex>",
            "vec3 transformed;\nvec3 tubeOutward;\ntubeVertex(transformed, tubeOutward);",
        );
}
