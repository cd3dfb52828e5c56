"""The networks whose training is recorded."""

import keras
from keras import layers


def article_mlp(widths, input_shape):
    """Blocks Dense → BatchNormalization → ReLU → Dropout; rate 0, since random masks cannot be compared."""
    stack = [layers.Input(input_shape), layers.Flatten()]
    for width in widths:
        stack += [layers.Dense(width), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.0)]
    return keras.Sequential(stack + [layers.Dense(10, activation="softmax")])


def article_cnn(widths):
    stack = [layers.Input((32, 32, 3))]
    for block, width in enumerate(widths):
        stack += [layers.Conv2D(width, 3, padding="same"), layers.BatchNormalization(), layers.ReLU()]
        if block < 2:
            stack.append(layers.AveragePooling2D(2))
    return keras.Sequential(stack + [layers.Flatten(), layers.Dense(10, activation="softmax")])


def lenet():
    return keras.Sequential([
        layers.Input((28, 28, 1)),
        layers.Conv2D(6, 5, padding="same", activation="tanh"),
        layers.AveragePooling2D(2),
        layers.Conv2D(16, 5, activation="tanh"),
        layers.AveragePooling2D(2),
        layers.Flatten(),
        layers.Dense(120, activation="tanh"),
        layers.Dense(84, activation="tanh"),
        layers.Dense(10, activation="softmax"),
    ])


def two_layers():
    return keras.Sequential([
        layers.Input((8, 8, 3)),
        layers.Flatten(),
        layers.Dense(16, activation="tanh"),
        layers.Dense(10, activation="softmax"),
    ])


def residual():
    """Two blocks with shortcuts: a plain one, and one with stride 2, max pooling and L2 penalties."""
    inputs = layers.Input((32, 32, 3))
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(inputs)
    x = shortcut = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.Conv2D(8, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.Conv2D(8, 3, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.Add()([layers.BatchNormalization()(x), shortcut]))
    shortcut = layers.Conv2D(16, 1, strides=2, kernel_regularizer=keras.regularizers.L2(1e-3))(x)
    x = layers.Conv2D(16, 3, padding="same", kernel_regularizer=keras.regularizers.L2(1e-3))(x)
    x = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(x))
    x = layers.ReLU()(layers.Add()([layers.MaxPooling2D(3, strides=2, padding="same")(x), shortcut]))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(10, activation="softmax")(x))
